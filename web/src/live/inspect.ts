// Read-only access for tests and benchmarks to a page: the values, what is drawn, and the server's clock.

const inspected: Record<string, () => unknown> = { elements: () => [] };

export function inspect(parts: Record<string, () => unknown>): void {
  Object.assign(inspected, parts);
  Object.assign(window, { __switchyard: inspected });
}
