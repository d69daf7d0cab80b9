/** Works like `AbortSignal.any`, also on platforms without it, e.g. some edge runtimes. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any([...signals]);
  const control = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) control.abort(signal.reason);
    else signal.addEventListener("abort", () => control.abort(signal.reason), { once: true });
  }
  return control.signal;
}
