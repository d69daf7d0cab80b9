import type { BlockStep, Told } from "../base/blocks.ts";
import { citationsField, citedParts } from "./ai-sdk-sources.ts";
import type { UiPart } from "./ui-part.ts";

/** A chunk of the AI SDK's UI message stream. */
export type Chunk = { readonly type: string; readonly [field: string]: unknown };

/**
 * Returns an encoder for the model's text. A part stays open until its answer is stored, because a closed
 * part can no longer be marked as void.
 */
export function blockChunks(lostText: "mark" | "reset"): (step: BlockStep) => Chunk[] {
  const open = new Set<string>();
  const prefix = ({ kind }: Pick<Told, "kind">) => (kind === "text" ? "text" : "reasoning");
  return (step) => {
    if (step.type === "piece") {
      const { key: id, text: delta } = step;
      const start = open.has(id) ? [] : [{ type: `${prefix(step)}-start`, id }];
      open.add(id);
      return [...start, { type: `${prefix(step)}-delta`, id, delta }];
    }
    for (const { key } of step.blocks) open.delete(key);
    if (step.type === "void" && lostText === "reset") return [{ type: "reset-step" }];
    const mark = step.type === "void" ? { providerMetadata: { pawl: { void: true } } } : {};
    const ends = step.blocks.map((block) => {
      const cites = step.type === "settled" ? citationsField(block.citations) : {};
      return { type: `${prefix(block)}-end`, id: block.key, ...cites, ...mark };
    });
    const cited =
      step.type === "settled" ? step.blocks.flatMap(({ citations }) => citedParts(citations)) : [];
    return [...ends, ...cited];
  };
}

/** Returns a complete text as chunks. `mark` is the part's `providerMetadata`. */
export function textChunks(kind: "text" | "reasoning", id: string, delta: string, mark?: unknown): Chunk[] {
  const end = { type: `${kind}-end`, id, ...(mark !== undefined && { providerMetadata: mark }) };
  return [{ type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }, end];
}

/** Encodes a message's existing parts as chunks, for a page that lacks them. */
export function partChunks(parts: readonly UiPart[]): Chunk[] {
  return parts.flatMap((part, at): Chunk[] => {
    const { type, text, toolCallId, state, input, output, errorText, providerMetadata } = part;
    if (type === "step-start")
      return [...(at === 0 ? [] : [{ type: "finish-step" }]), { type: "start-step" }];
    if (/^(data-|source-|file$)/.test(type)) return [part];
    if (type === "text" || type === "reasoning")
      return textChunks(type, `kept:${at}`, String(text), providerMetadata);
    const toolName = type.slice("tool-".length);
    const mark = part.callProviderMetadata !== undefined && { providerMetadata: part.callProviderMetadata };
    const made = { type: "tool-input-available", toolCallId, toolName, input };
    const call = { ...made, providerExecuted: true, ...mark };
    if (state === "output-denied") return [call, { type: "tool-output-denied", toolCallId }];
    if (state === "output-error") {
      return [call, { type: "tool-output-error", toolCallId, errorText, providerExecuted: true }];
    }
    return [call, { type: "tool-output-available", toolCallId, output, providerExecuted: true }];
  });
}
