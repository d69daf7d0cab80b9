/** What pages have of a browser when they wait: for its next frame, and until it is online. */
const BROWSER = {
  requestAnimationFrame: (callback: () => void) => setImmediate(callback),
  cancelAnimationFrame: (frame: NodeJS.Immediate) => clearImmediate(frame),
  addEventListener: (type: string, listener: () => void) => {
    if (type === "online") setImmediate(listener);
  },
};

/** Frames come at once, and so does the network after a failure, until the signal aborts. */
export function withoutWaits(until: AbortSignal): void {
  if ("requestAnimationFrame" in globalThis) return;
  Object.assign(globalThis, BROWSER);
  until.addEventListener("abort", () => {
    for (const name of Object.keys(BROWSER)) Reflect.deleteProperty(globalThis, name);
  });
}
