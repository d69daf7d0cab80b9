import type { Session } from "../../log/session-row.ts";
import { reduceView } from "../../view/reduce.ts";
import { newView } from "../../view/view.ts";
import type { SessionView } from "../begin/runtime-types.ts";
import type { Host } from "../leg/host.ts";

/** Returns the session as its owner sees it. */
export async function viewOf({ store }: Pick<Host, "store">, session: Session): Promise<SessionView> {
  let view = newView();
  for await (const event of store.read(session.id)) view = reduceView(view, event);
  return { session, ...view };
}
