/** Returns a signal that aborts with the first of the two. Some browsers lack `AbortSignal.any`. */
export function eitherSignal(one: AbortSignal, other: AbortSignal): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any([one, other]);
  const control = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) control.abort(signal.reason);
    else signal.addEventListener("abort", () => control.abort(signal.reason), { once: true });
  }
  return control.signal;
}
