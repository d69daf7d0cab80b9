import type { Fault } from "./fault.ts";

const agUi = (file: string) => `sse/src/dialects/ag-ui/ag-ui-${file}.ts`;
const client = (file: string) => `client/src/${file}.ts`;
const otel = (file: string) => `otel/src/${file}.ts`;
const plain = (file: string) => `sse/src/dialects/plain/${file}.ts`;

/** Faults of Pawl's own client, of the plain dialects and of the spans. */
export const moreFaults: readonly Fault[] = [
  {
    name: "a page adds text that it has already",
    kind: "createAgentClient()",
    edits: [[client("state/standing"), "text: text.slice(have - offset) }", "text }"]],
  },
  {
    name: "a page whose answer came too late does not look why",
    kind: "createAgentClient()",
    edits: [[client("client/submit"), "if (about.callId !== undefined) watchAgain(talk);", ""]],
  },
  {
    name: "a page that connects again reads from a later event",
    kind: "createAgentClient()",
    edits: [
      [client("client/reading"), "formatCursor(from)", "formatCursor({ afterSeq: from.afterSeq + 1 })"],
      [client("state/standing"), "if (event.seq > place.afterSeq + 1) throw", "if (event.seq < 0) throw"],
    ],
  },
  {
    name: "two messages have one activity for their parts of one name",
    kind: "AG-UI 1.0",
    edits: [[agUi("activities"), "part.id !== undefined ? {", 'part.id === "" ? {']],
  },
  {
    name: "ASP v2 drops results when a page connects again",
    kind: "ASP v2",
    edits: [
      [
        plain("asp"),
        "plainEncoder(context, aspWords(text))",
        `plainEncoder(context, {
          ...aspWords(text),
          ...(context.again && { step: (one) => (one.type === "result" ? [] : aspWords(text).step(one)) }),
        })`,
      ],
    ],
  },
  {
    name: "a call that was closed counts as done",
    kind: "the trainer",
    edits: [["sse/src/dialects/base/answers.ts", "!success || skipped !== undefined", "!success"]],
  },
  {
    name: "a run's last word is lost if the next run follows at once",
    kind: "metrics",
    edits: [[plain("plain-encoder"), "[...said, ...between(runId)]", "said"]],
  },
  {
    name: "a page is not told that it has text that became void",
    kind: "the coach, live",
    edits: [
      [plain("plain-encoder"), "lost || (voided && !isSaid) ?", "lost && voided && !isSaid && hasText ?"],
      [plain("plain-encoder"), 'lost ||= voided && event.type === "llm_request";', ""],
      [plain("plain-encoder"), 'lost ||= voided && step.type === "piece";', ""],
    ],
  },
  {
    name: "a call that has asked is never shown as work",
    kind: "the coach",
    edits: [
      [
        plain("coach"),
        "return call(one.event.data);",
        "return asked.has(one.event.data.call_id) ? [] : call(one.event.data);",
      ],
    ],
  },
  {
    name: "a call that asks is in error",
    kind: "spans",
    edits: [
      [
        otel("spans"),
        "endOne(session.tools, event.data.call_id, end);",
        'endOne(session.tools, event.data.call_id, end, "asks");',
      ],
    ],
  },
  {
    name: "what a user's message has interrupted is in error",
    kind: "spans",
    edits: [[otel("spans"), '["aborted", "interrupted"]', '["aborted"]']],
  },
  {
    name: "the span of a call has its name only in the end",
    kind: "spans",
    edits: [[otel("attributes"), '"gen_ai.tool.name": data.tool_name,', ""]],
  },
  {
    name: "the spans of a run that a message has replaced stay open",
    kind: "spans",
    edits: [
      [otel("session-spans"), "  end(agent, () => {", "  if (failures.run !== undefined) end(agent, () => {"],
    ],
  },
];
