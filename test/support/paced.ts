import type { Reply } from "@pawl/testing";

/**
 * Sends each event of a reply after as many milliseconds as `pause` returns then. A test can act in the middle
 * of an answer that is written slowly, and have the rest of it at once.
 */
export function paced(reply: Reply, pause: () => number): Reply {
  return Object.defineProperty({ ...reply, latencyMs: pause() }, "delayPerEventMs", {
    get: pause,
    enumerable: true,
  });
}
