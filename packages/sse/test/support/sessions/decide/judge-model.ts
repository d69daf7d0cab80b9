import type { ContentBlock } from "@pawl/core";
import { same } from "../same.ts";
import type { Traced } from "../spans/traced-session.ts";
import type { Decided } from "./decided.ts";

/** Asserts that the model reads of each call what the log says, if it reads of the call at all. */
export function judgeModel({ requests, log }: Traced, calls: readonly Decided[]): void {
  const last = requests.at(-1);
  const read = log.findLast((event) => event.type === "llm_request")?.data.prompt.upto_seq ?? 0;
  const blocks = (last?.messages ?? []).flatMap(({ content }) => content as ContentBlock[]);
  const notes = blocks.flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
  for (const call of calls) {
    const { callId, written, edit, started, outcome, resultSeq } = call;
    const made = blocks.find(({ type, id }) => type === "tool_use" && id === callId);
    if (made !== undefined) same(made.input, written, `what the model reads of its call ${callId}`);
    const result = blocks.find(({ type, tool_use_id }) => type === "tool_result" && tool_use_id === callId);
    if (result !== undefined && resultSeq > 0 && resultSeq <= read)
      same(result.is_error === true, outcome === "failed", `whether the model reads that ${callId} failed`);
    const note = notes.find((text) => text.includes(`The call ${callId} of`));
    if (edit === undefined || edit.for === "nobody")
      same(note, undefined, `a note about the input of ${callId}, which nobody may know`);
    if (!started || edit === undefined || edit.for === "nobody" || result === undefined) continue;
    const fields = Object.entries(Object(edit.input)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(Object(written)[name]),
    );
    const missing = fields.filter(([, value]) => note?.includes(JSON.stringify(value)) !== true);
    same(missing, [], `changed fields of ${callId} about which the model reads nothing`);
  }
}

/** A guard that judges beside the model lets one request have a message, and none after it has refused it. */
export function judgeRefused({ requests, log }: Traced): void {
  for (const event of log) {
    if (event.type !== "checkpoint" || event.data.refused?.by !== "hook") continue;
    const asked = log.slice(0, event.seq).filter(({ type }) => type === "llm_request").length;
    const later = JSON.stringify(requests.slice(asked));
    const texts = event.data.refused.events.map(({ seq }) => String(Object(log[seq - 1]?.data).message));
    same(
      texts.filter((text) => later.includes(`"${text}"`)),
      [],
      "refused messages in later requests",
    );
  }
}
