import { json, REFUSED, SAID, TOO_LONG, TRY_AGAIN } from "../base/chat.ts";
import { ABSENT, type Dialect, GREETING } from "../base/dialect.ts";
import { events, STOP, startOf, stopped, text, usualMessages } from "../base/messages.ts";

const model = "anthropic.claude-sonnet-5-5-v1:0";
const docs =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html";
const metrics =
  "https://github.com/spring-projects/spring-ai/blob/f08c8a772477df639c1d456e0b679a141d066d2f/models/spring-ai-bedrock/src/main/java/org/springframework/ai/bedrock/anthropic3/api/Anthropic3ChatBedrockApi.java";
const start = startOf(model);

/** Bedrock's Messages API, as gateways pass it on. */
export const bedrockDialect: Dialect = {
  name: "bedrock",
  title: "Bedrock (Messages API)",
  api: "messages",
  model,
  cases: {
    ...usualMessages(model, docs),
    whole: [
      {
        title: "metrics at the end",
        source: metrics,
        response: events([
          start,
          ...text(0, [GREETING]),
          stopped("end_turn"),
          { ...STOP, "amazon-bedrock-invocationMetrics": { inputTokenCount: 20, outputTokenCount: 5 } },
        ]),
        expected: SAID,
      },
    ],
    broken: [
      {
        title: "the stream ends without a reason",
        source: "https://github.com/BerriAI/litellm/pull/32159",
        response: events([start, ...text(0, ["Grü"])]),
        expected: { text: "Grü", ...TRY_AGAIN },
      },
    ],
    reasoning: { absent: "As Claude." },
    refusal: [
      {
        title: "the stop reason `refusal`",
        source: "inferred from https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
        response: events([start, ...text(0, ["Grü"]), stopped("refusal"), STOP]),
        expected: { ...REFUSED, text: "Grü" },
      },
    ],
    filter: [
      {
        title: "the stop reason `guardrail_intervened`",
        source:
          "inferred from https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html",
        response: events([start, ...text(0, ["Grü"]), stopped("guardrail_intervened"), STOP]),
        expected: { ...REFUSED, text: "Grü" },
      },
    ],
    overflow: [
      {
        title: "status 400, a message without the field `error`",
        source: "https://github.com/anthropics/claude-code/issues/760",
        response: json({ message: "Input is too long for requested model." }, 400),
        expected: TOO_LONG,
      },
    ],
    contentType: ABSENT.streams,
    brokenCall: ABSENT.errors,
    errorIn200: [
      {
        title: "an error event without a known type",
        source:
          "inferred from https://docs.aws.amazon.com/botocore/latest/reference/services/bedrock-runtime/client/exceptions/ModelStreamErrorException.html",
        response: events([
          start,
          'event: error\ndata: {"type":"error","error":{"type":"modelStreamErrorException","message":"The model timed out."}}\n\n',
        ]),
        expected: TRY_AGAIN,
      },
    ],
    noEnd: ABSENT.end,
    contentList: { absent: "Its content is a list of blocks in every answer." },
    inputObject: { absent: "See the gateways." },
    legacyCall: ABSENT.messages,
  },
};
