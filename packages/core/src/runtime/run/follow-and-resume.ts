import { PawlError } from "../../base/errors.ts";
import type { SessionEvent } from "../../log/store/live-event.ts";
import { type FollowOptions, followFrom } from "../../readers/follow.ts";
import type { CallerOptions, Host } from "../leg/host.ts";

/** Follows a session, and resumes its run whenever no process is working on it. */
export function followAndResume(
  host: Host,
  sessionId: string,
  { caller, credentials, ...options }: FollowOptions & CallerOptions,
): AsyncGenerator<SessionEvent, void, undefined> {
  const handedOver = new AbortController();
  const companion = async () => {
    const { resumer } = await import("../later/index.ts");
    return resumer(host, sessionId, { caller, credentials }, () => {
      const message = "Another process continues this run. Connect again to read on.";
      handedOver.abort(new PawlError("draining", message));
    });
  };
  return followFrom(host, { ...options, sessionId, failure: handedOver.signal, companion });
}
