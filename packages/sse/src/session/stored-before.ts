import type { Runtime, Session } from "@pawl/core";
import type { Begin } from "../dialects/base/dialect.ts";

/**
 * Returns whether a request begins nothing because its message is stored under the same client id, or its run
 * has been retried or is open. Such a request joins the run that exists.
 */
export async function isStored(
  { store }: Runtime,
  session: Session | undefined,
  begin: Begin,
): Promise<boolean> {
  if (session === undefined) return false;
  if ("input" in begin && begin.clientMessageId !== undefined) {
    for await (const { key } of store.read(session.id, { types: ["user_message"] })) {
      if (key === `message:${begin.clientMessageId}`) return true;
    }
  } else if ("retry" in begin) {
    if (session.openRun === begin.retry) return true;
    for await (const { key } of store.read(session.id, { types: ["run_started"] })) {
      if (key === `retry:${begin.retry}`) return true;
    }
  }
  return false;
}
