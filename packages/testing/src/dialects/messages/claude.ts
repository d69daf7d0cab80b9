import { FILTERED, json, REFUSED, SAID, TOO_LONG, TRY_AGAIN } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";
import { events, STOP, startOf, stopped, text, thinking, usualMessages } from "../base/messages.ts";

const model = "claude-sonnet-5-5";
const docs = "https://platform.claude.com/docs/en/build-with-claude/streaming";
const start = startOf(model);
const error = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_01",
});

/** Anthropic's own API: the dialect that the others of the Messages API start from. */
export const claudeDialect: Dialect = {
  name: "claude",
  title: "Claude",
  api: "messages",
  model,
  cases: {
    ...usualMessages(model, docs),
    reasoning: [
      {
        title: "a block of thinking with its signature",
        source: docs,
        response: events([start, ...thinking(0), ...text(1, [GREETING]), stopped("end_turn"), STOP]),
        expected: SAID,
      },
    ],
    refusal: [
      {
        title: "the stop reason `refusal`",
        source: "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
        response: events([start, ...text(0, ["Grü"]), stopped("refusal"), STOP]),
        expected: { ...REFUSED, text: "Grü" },
      },
    ],
    filter: [
      {
        title: "status 400, by its message",
        source: "https://github.com/anthropics/claude-code/issues/58367",
        response: json(error("invalid_request_error", "Output blocked by content filtering policy"), 400),
        expected: FILTERED,
      },
      {
        title: "an error event, by its message",
        source: "https://github.com/anthropics/claude-code/issues/58367",
        response: events([
          start,
          ...text(0, ["Grü"]),
          error("invalid_request_error", "Output blocked by content filtering policy"),
        ]),
        expected: { ...FILTERED, text: "Grü" },
      },
    ],
    overflow: [
      {
        title: "status 400, by its message",
        source: "https://github.com/RooCodeInc/Roo-Code/issues/5816",
        response: json(
          error("invalid_request_error", "prompt is too long: 208732 tokens > 200000 maximum"),
          400,
        ),
        expected: TOO_LONG,
      },
      {
        title: "status 413, `request_too_large`",
        source: "https://platform.claude.com/docs/en/api/errors",
        response: json(error("request_too_large", "Request exceeds the maximum size"), 413),
        expected: TOO_LONG,
      },
      {
        title: "the stop reason `model_context_window_exceeded`",
        source: "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
        response: events([start, ...text(0, [GREETING]), stopped("model_context_window_exceeded"), STOP]),
        expected: { ...SAID, stop: "model_context_window_exceeded" },
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "an error event: overloaded",
        source: docs,
        response: events([start, ...text(0, ["Grü"]), error("overloaded_error", "Overloaded")]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    noEnd: ABSENT.end,
    contentList: { absent: "Its content is a list of blocks in every answer." },
    inputObject: { absent: "See the gateways." },
    legacyCall: ABSENT.messages,
  },
};
