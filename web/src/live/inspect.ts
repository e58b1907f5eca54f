// What tests and benchmarks may read of a page: the values held, what is drawn of them, the server's clock. Reading only.

const inspected: Record<string, () => unknown> = { elements: () => [] };

export function inspect(parts: Record<string, () => unknown>): void {
  Object.assign(inspected, parts);
  Object.assign(window, { __switchyard: inspected });
}
