// Text with a little markup out of the configuration. The server has cleaned it when it was stored; what a browser makes of it is cleaned here once more.
import DOMPurify from 'dompurify';
import { useMemo } from 'react';

const ALLOWED = { ALLOWED_TAGS: ['a', 'b', 'i', 'p', 'br', 'span'], ALLOWED_ATTR: ['href', 'rel'], ADD_URI_SAFE_ATTR: ['rel'], ALLOWED_URI_REGEXP: /^(?:https|mailto):/i };

export function clean(html: string): string {
  return DOMPurify.sanitize(html, ALLOWED);
}

export function Html({ html }: { html: string }) {
  const cleaned = useMemo(() => clean(html), [html]);
  return <span dangerouslySetInnerHTML={{ __html: cleaned }} />;
}
