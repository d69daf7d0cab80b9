import type { Fault } from "../fault.ts";

const kind = "decisions";
const core = (file: string) => `core/src/${file}.ts`;

/** Faults by which readers say different things of a call, or get what a hook keeps from them. */
export const decisionFaults: readonly Fault[] = [
  {
    name: "the model is not told of an input that a hook has changed",
    kind,
    edits: [[core("loop/tools/prepare-call"), "return edited.length === 0 ?", "return edited.length < 99 ?"]],
  },
  {
    name: "pages get an input that a hook hides",
    kind,
    edits: [
      [
        "sse/src/session/public-event.ts",
        'const shown = input_for === "all" ?',
        'const shown = input_for !== "none" ?',
      ],
    ],
  },
  {
    name: "a hook shows what another one hides",
    kind,
    edits: [[core("parts/edited-input"), '["nobody", "model", "all"]', '["all", "model", "nobody"]']],
  },
  {
    name: "spans have an input that a hook hides",
    kind,
    edits: [
      [
        "otel/src/begin-spans.ts",
        'const isOwn = changed === undefined || input_for === "nobody";',
        "const isOwn = changed === undefined;",
      ],
    ],
  },
  {
    name: "a skipped call is a success in results",
    kind,
    edits: [[core("session/run-result"), "success: false, skipped }", "success: true }"]],
  },
  {
    name: "a skipped call is done in timelines",
    kind,
    edits: [
      [
        core("log/event-parts"),
        'if (skipped !== undefined) return "skipped";',
        'if (skipped === "") return "skipped";',
      ],
    ],
  },
  {
    name: "text that a guard masks is stored as it was",
    kind,
    edits: [
      [
        core("parts/answer-gate"),
        "judged.text.slice(gate.shown.length, end)",
        "text.slice(gate.shown.length, end)",
      ],
    ],
  },
  {
    name: "a call runs with the input that a guard masks",
    kind,
    edits: [
      [
        core("parts/answer-gate"),
        "if (judged.value === value) return passHeld(gate);",
        "if (judged.value !== undefined) return passHeld(gate);",
      ],
    ],
  },
  {
    name: "readers get an answer before the hook that guards it",
    kind,
    edits: [[core("parts/answer-gate"), "some(({ guards }) => guards)", 'some(({ name }) => name === "")']],
  },
  {
    name: "the model reads a result after the hook that guards it has failed",
    kind,
    edits: [[core("loop/hooks/tool-hooks"), "if (failed && hook.guards)", 'if (failed && hook.name === "")']],
  },
  {
    name: "a refused message is in the next request",
    kind,
    edits: [[core("parts/new-messages"), "({ seq, keep: 0 })", "({ seq, keep: 9999 })"]],
  },
  {
    name: "AG-UI does not say which role speaks",
    kind,
    edits: [
      [
        "sse/src/dialects/ag-ui/ag-ui-encoder.ts",
        "return role === undefined ? [started] :",
        'return role !== "" ? [started] :',
      ],
    ],
  },
  {
    name: "spans do not say which role speaks",
    kind,
    edits: [["otel/src/attributes.ts", '...(data.role !== undefined && { "pawl.role": data.role }),', ""]],
  },
  {
    name: "the view lacks the input with which a tool asks",
    kind,
    edits: [[core("view/reduce-call"), "...callFields(event.data),\n          }));", "}));"]],
  },
  {
    name: "timelines lack the input with which a tool asks",
    kind,
    edits: [[core("inspect/calls"), "Object.assign(call, editIn(event.data));", ""]],
  },
  {
    name: "questions show what a hook hides",
    kind,
    edits: [[core("parts/call-question"), 'if (inputFor !== "nobody") return shown;', "return shown;"]],
  },
  {
    name: "ASP does not send the input that a hook has changed",
    kind,
    edits: [["sse/src/dialects/plain/asp.ts", '[{ type: "tool_input",', '[{ type: "",']],
  },
  {
    name: "AG-UI does not say that a message has closed a call",
    kind,
    edits: [
      [
        "sse/src/dialects/ag-ui/ag-ui-encoder.ts",
        "...closedSteps(context).flatMap(callEvents)",
        '...closedSteps(context).flatMap(callEvents).filter(({ type }) => type !== "CUSTOM")',
      ],
    ],
  },
  {
    name: "plain dialects do not say that a message has closed a call",
    kind,
    edits: [["sse/src/dialects/plain/plain-encoder.ts", ", ...closedSteps(context).flatMap(words.step)", ""]],
  },
  {
    name: "an open page keeps the input that the model wrote",
    kind: "AG-UI 1.0",
    edits: [
      [
        "sse/src/dialects/ag-ui/ag-ui-call-input.ts",
        "return known !== undefined &&",
        'return known === "" &&',
      ],
    ],
  },
];
