// The tooltips of the page: the text in `data-tip` of the element under the pointer, with the focus, or touched (specification 1, section 9).
import { useEffect, useId, useRef, useState } from 'react';

const [SHOW_MS, HIDE_MS] = [300, 150] as const;
/** Distance from the element and from the edges of the window, px. */
const GAP = 6;

/** Elements that act when they are touched. Their tip would cover what they show. */
const ACTS = 'button, a[href], summary, [role=button], [role=menuitem], [role=tab]';

const tipOf = (target: EventTarget | null) => (target instanceof Element ? target.closest('[data-tip]:not([data-tip=""])') : null);

export function Tooltips() {
  const [of, setOf] = useState<Element | null>(null);
  // The text may change while it is shown, for example with the state of a light.
  const [text, setText] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** The element of the shown tip, or of the tip that is about to be shown. */
    let current: Element | null = null;
    const show = (of: Element) => {
      clearTimeout(timer);
      current = of;
      timer = setTimeout(() => {
        if (!of.isConnected) return;
        setText(of.getAttribute('data-tip') ?? '');
        setOf(of);
      }, SHOW_MS);
    };
    const hide = (afterMs: number = HIDE_MS) => {
      clearTimeout(timer);
      current = null;
      timer = setTimeout(() => setOf(null), afterMs);
    };
    const onOver = (event: PointerEvent) => {
      if (event.pointerType === 'touch') return;
      // The pointer may move onto the tip, for example to select its text.
      if (event.target instanceof Node && box.current?.contains(event.target)) return clearTimeout(timer);
      const of = tipOf(event.target);
      if (of && of !== current) show(of);
      else if (!of && (current === null || !current.contains(document.activeElement) || !current.matches(':focus-visible'))) hide();
    };
    const onDown = (event: PointerEvent) => {
      const of = tipOf(event.target);
      if (event.pointerType === 'touch' && of && !of.matches(ACTS)) show(of);
      else hide(0);
    };
    const onFocus = (event: FocusEvent) => {
      const of = tipOf(event.target);
      if (of && event.target instanceof Element && event.target.matches(':focus-visible')) show(of);
    };
    const onBlur = () => hide();
    // The pointer has left the window.
    const onOut = (event: PointerEvent) => event.relatedTarget === null && event.pointerType !== 'touch' && hide();
    const onAway = () => hide(0);
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide(0);
    const onScroll = () => hide(0);
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('pointerover', onOver, { signal });
    document.addEventListener('pointerout', onOut, { signal });
    window.addEventListener('blur', onAway, { signal });
    document.addEventListener('pointerdown', onDown, { signal, capture: true });
    document.addEventListener('focusin', onFocus, { signal });
    document.addEventListener('focusout', onBlur, { signal });
    document.addEventListener('keydown', onKey, { signal, capture: true });
    document.addEventListener('scroll', onScroll, { signal, capture: true, passive: true });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => {
    if (!of) return;
    const read = () => {
      const now = of.isConnected ? (of.getAttribute('data-tip') ?? '') : '';
      if (now === '') setOf(null);
      else setText(now);
    };
    const changes = new MutationObserver(read);
    changes.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-tip'] });
    read();
    return () => changes.disconnect();
  }, [of]);
  // The tip is a popover, so that it lies above dialogs. It describes its element while it is shown.
  useEffect(() => {
    const own = box.current;
    if (!of || !own) return;
    own.showPopover?.();
    const around = of.getBoundingClientRect();
    const { width, height } = own.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(around.left + around.width / 2 - width / 2, window.innerWidth - width - GAP));
    const isBelow = around.bottom + GAP + height <= window.innerHeight;
    own.style.left = `${left}px`;
    own.style.top = `${Math.max(GAP, isBelow ? around.bottom + GAP : around.top - GAP - height)}px`;
    const isDescribed = of.hasAttribute('aria-describedby');
    if (!isDescribed) of.setAttribute('aria-describedby', id);
    return () => {
      own.hidePopover?.();
      if (!isDescribed) of.removeAttribute('aria-describedby');
    };
  }, [of, text, id]);
  return (
    <div ref={box} id={id} role="tooltip" className="tip" popover="manual" hidden={!of} data-testid="tooltip">
      {of && text}
    </div>
  );
}
