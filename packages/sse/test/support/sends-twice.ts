/** An event of a stream, in any dialect. */
export type Sent = { type?: string } & Record<string, unknown>;

interface Shown {
  id: string;
  content?: unknown;
  toolCalls?: { id: string }[];
}

/**
 * The judge of every encoder: what a stream sends although its client has it. An event about a call is sent once.
 * After a snapshot (an event with all messages), no event begins or adds to what is in it, because clients append;
 * only a text that was being sent goes on, after exactly what the snapshot has of it.
 */
export function sendsTwice(events: readonly Sent[]): string[] {
  const seen = new Set<string>();
  let had = new Map<unknown, unknown>();
  const open = new Map<unknown, string>();
  return events.flatMap((event) => {
    const { type = "", delta, messages } = event;
    if (Array.isArray(messages)) {
      had = new Map((messages as Shown[]).flatMap(shownIn));
      return [];
    }
    const id = event.messageId ?? event.toolCallId ?? event.id;
    const json = JSON.stringify(event);
    const again = /"c\d+"/.test(json) && seen.has(json) ? [`again: ${json}`] : [];
    seen.add(json);
    const name = type.replaceAll("_", "-").toLowerCase();
    const adds = /(start|content|delta|args|input-available|result)$/.test(name);
    const known = adds && had.has(id) && had.get(id) !== open.get(id) ? [`the client has it: ${json}`] : [];
    if (/message-start$|^text-start$|^reasoning-start$/.test(name)) open.set(id, "");
    else if (/content$/.test(name)) {
      open.set(id, `${open.get(id) ?? ""}${delta}`);
      if (had.has(id)) had.set(id, open.get(id));
    } else if (/message-end$|^text-end$/.test(name)) open.delete(id);
    return [...again, ...known];
  });
}

/** What a message shows, with the ids of its calls. One without content may be filled. */
function shownIn({ id, content, toolCalls = [] }: Shown): [string, unknown][] {
  const calls = toolCalls.map((call): [string, unknown] => [call.id, null]);
  return content === "" || content === undefined ? calls : [[id, content], ...calls];
}
