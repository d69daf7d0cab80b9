import { type EventStore, PawlError, readShown, type Session } from "@pawl/core";
import { foldView, type ViewPage, type ViewState, viewPage } from "@pawl/core/view";
import { publicEvent, publicEvents, type Shown } from "./public-event.ts";

/** Which messages of a session to return: the last ones, or those before an earlier page. */
export interface Page {
  last: number;
  before?: number;
}

/** Returns a session as its user may see it: all messages, or a page of them. */
export async function sessionView(
  store: EventStore,
  session: Session,
  shown: Shown,
  page: Page | undefined,
): Promise<ViewState | (Pick<ViewState, "messages" | "cursor"> & Pick<ViewPage, "before">)> {
  if (page === undefined) return await foldView(publicEvents(readShown(store, session.id), shown));
  const { view, before } = await sessionPage(store, session, shown, page);
  if (page.before === undefined) return { ...view, before };
  const { messages, cursor } = view;
  return { messages, cursor, before };
}

/**
 * Reads a page of a session as its user may see it.
 *
 * @throws PawlError `invalid_input` if `before` is after the session's last event.
 */
export async function sessionPage(
  store: EventStore,
  session: Session,
  shown: Shown,
  { last, before }: Page,
): Promise<ViewPage> {
  if (before !== undefined && before > session.lastSeq)
    throw new PawlError(
      "invalid_input",
      `\`before\` must be at most ${session.lastSeq}, the session's last event; got ${before}.`,
    );
  return await viewPage(store, session, { last, before, shown: (event) => publicEvent(event, shown) });
}
