import { type ModelEvent, wrongKind } from "@pawl/core/model";

/** Returns whether the body of a successful response is an error. */
export function isErrorBody(body: unknown): boolean {
  const { type, error, content, message, detail } = Object(body);
  if (type === "error" || Object(error) === error) return true;
  return content === undefined && [error, message, detail].some((one) => typeof one === "string");
}

/**
 * Returns the events of an answer that was not streamed.
 *
 * @throws PawlError `model_error` if the answer has another shape than the API's
 */
export function eventsOfMessage(body: unknown, model: string): ModelEvent[] {
  const { id, model: answering, content, stop_reason, stop_sequence, usage } = Object(body);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks)) throw wrongKind("`content`", "a list", content);
  return [
    {
      type: "message_start",
      message: { id, model: answering ?? model, ...(usage && { usage: { ...usage } }) },
    },
    ...blocks.flatMap((content_block, index): ModelEvent[] => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: stop_reason ?? null, stop_sequence: stop_sequence ?? null },
      ...(usage && { usage }),
    },
    { type: "message_stop" },
  ];
}
