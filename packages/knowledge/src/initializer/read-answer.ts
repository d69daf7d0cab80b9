import { type AskOutcome, centsFromUsd, type EventData, isText, isToolUse, promptTokens } from "@pawl/core";
import { SELECT } from "./selection.ts";

/** Returns the usage and cost of an answer, as the payload of a `spending` event. */
export function spendingOf({ model, usage, costUsd }: AskOutcome): Omit<EventData["spending"], "by"> {
  return {
    model,
    tokens: {
      prompt: usage.inputTokens,
      completion: usage.outputTokens,
      cached: usage.cacheReadTokens,
      cache_write: usage.cacheWriteTokens,
      cache_write_1h: usage.cacheWrite1hTokens ?? 0,
      total: promptTokens(usage) + usage.outputTokens,
    },
    cost_cents: centsFromUsd(costUsd),
  };
}

/**
 * Returns the choice in an answer: the input of the tool call, or else the JSON in the text. Returns
 * `undefined` if there is no valid JSON, e.g. because the answer was cut off.
 */
export function answerIn({ content }: AskOutcome): unknown {
  const call = content.filter(isToolUse).find(({ name }) => name === SELECT);
  if (call !== undefined) return call.input;
  return jsonIn(
    content
      .filter(isText)
      .map(({ text }) => text)
      .join("\n"),
  );
}

/**
 * Finds the JSON in a text. Models without tools put prose or a code fence around it, or thinking before it.
 */
function jsonIn(text: string): unknown {
  const said = text.slice(text.lastIndexOf("</think>") + 1);
  const fence = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(said)?.[1];
  const braces = said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1);
  return parsed(fence ?? "") ?? parsed(braces);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
