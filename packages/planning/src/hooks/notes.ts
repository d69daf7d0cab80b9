import { toJson } from "@pawl/core";
import { chooseToolDocs } from "../docs/choose-tool-docs.ts";
import { type DocsEvent, EVENTS } from "../record/events.ts";
import { TAGS } from "../record/tags.ts";
import { missingNotes } from "../record/texts.ts";
import type { Here, Work } from "./work.ts";

/**
 * Appends the texts of the record that the model cannot read yet. If a process died between an event and its
 * note, the next process appends the note, because the texts are compared with the log.
 */
export async function sayRecord<Deps>(work: Work<Deps>, here: Here<Deps>): Promise<void> {
  await describeTools(work, here);
  for (const { tag, text } of missingNotes(here.record))
    await here.context.append({ type: "note", data: { text, tag } });
}

/** Chooses the descriptions of tools for the run, once, and appends those that the model cannot read. */
async function describeTools<Deps>(
  { docs: options }: Work<Deps>,
  { context, record }: Here<Deps>,
): Promise<void> {
  if (options === undefined) return;
  const { docs, most, maxTokens } = options;
  const tasks = record.plan?.tasks ?? [];
  const stored = record.docs;
  if (stored === undefined) {
    const words = [...record.messages.map(({ text }) => text), ...tasks.map(({ title }) => title)];
    const { chosen, left, tokens } = chooseToolDocs(docs, {
      ...{ query: words.join("\n"), most, maxTokens },
      first: tasks.flatMap(({ tool }) => tool ?? []),
      among: record.tools.map(({ name }) => name),
    });
    const data: DocsEvent = { run_id: context.runId, chosen, left, tokens };
    await context.append({ type: EVENTS.docs, data: toJson(data), key: `planning:${context.runId}:docs` });
    await sayDocs(chosen.map(({ tool }) => tool));
  } else await sayDocs(stored.chosen.map(({ tool }) => tool));

  async function sayDocs(tools: readonly string[]): Promise<void> {
    const readable = record.notes.filter(({ tag }) => tag === TAGS.docs).map(({ text }) => text);
    const texts = docs.filter(({ tool }) => tools.includes(tool)).map(({ text }) => text);
    const missing = texts.filter((text) => !readable.some((note) => note.includes(text)));
    if (missing.length === 0) return;
    await context.append({ type: "note", data: { text: missing.join("\n\n"), tag: TAGS.docs } });
  }
}
