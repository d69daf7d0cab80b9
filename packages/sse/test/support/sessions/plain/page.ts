import { lastRun, logAt, sessionOf } from "../log.ts";
import type { Page } from "../page.ts";
import { same } from "../same.ts";
import type { LogServer } from "../server.ts";
import type { PlainClient, PlainEvent, Shown } from "./client.ts";
import { joined } from "./loaded.ts";

/** A page of a plain dialect, which has loaded the session as it is now. */
export function plainPage(client: PlainClient, server: LogServer): Page {
  const { names, isLive } = client;
  const loadedAt = (at: number, upto = at): Shown => {
    const log = logAt(server.made.log, upto).slice(0, at);
    return client.load(sessionOf(log).before, log);
  };
  let shown = loadedAt(server.at);
  const read = async (response: Response) => {
    // Refused, or nothing to send.
    if (response.headers.get("content-type") !== "text/event-stream") return;
    shown = { ...shown, last: "open" };
    for (const event of await eventsOf(response)) client.read(event, shown);
    shown.text = joined(shown.text);
    if (!isLive || shown.last !== "error") return;
    // The page cannot remove text that became void: it loads again.
    const loaded = loadedAt(server.reached);
    same(loaded.last === "error" || loaded.text !== shown.text, true, "an error that is true");
    shown = loaded;
  };
  const post = async (body: object) => {
    const sent = JSON.stringify({ ...(server.at > 0 && { [names.session]: "s" }), ...body });
    await read(await server.fetch("", { method: "POST", body: sent }));
  };
  /** What is left of the conversation when a run begins: its output comes once more, or instead of another. */
  const beforeRun = (start: { afterSeq: number } | undefined, at: number) => {
    if (start !== undefined) shown = loadedAt(start.afterSeq + 1, Math.max(at, start.afterSeq + 1));
  };
  return {
    shown: () => ({ text: shown.text, last: shown.last }),
    calls: () => shown.calls,
    send: ({ id, text }) => post({ message: text, [names.messageId]: id }),
    answer: (answers) => post(client.answers(answers)),
    retry: async () => {
      const { run } = server.session().before;
      beforeRun(server.next?.start, server.at);
      await post({ [names.retry ?? ""]: run?.id });
    },
    connect: async () => {
      beforeRun(lastRun(logAt(server.made.log, server.at)), server.at);
      await read(await server.fetch(""));
    },
  };
}

/** The frame after the last event, in some dialects. */
const DONE = "[DONE]";

/** The events of a response, as far as it has come. */
async function eventsOf({ body }: Response): Promise<PlainEvent[]> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    // It has broken off.
  }
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  return frames.map((frame) => (frame === `data: ${DONE}` ? { type: DONE } : JSON.parse(frame.slice(6))));
}
