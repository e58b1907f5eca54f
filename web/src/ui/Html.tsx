// Text with limited markup from the configuration. The server sanitises it before storing; the browser sanitises it again, because its parser may differ.
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
