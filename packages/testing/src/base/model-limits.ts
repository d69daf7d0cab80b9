/**
 * A `type` of `thinking` that a model accepts. With `between_tools` it also thinks between tool calls.
 */
export type ThinkingMode = "adaptive" | "between_tools" | "disabled" | "enabled";

/** What the API allows one model. */
export interface ModelLimits {
  /** Longest prompt, in tokens. */
  contextTokens: number;
  maxOutputTokens: number;
  /** A prefix shorter than this is silently not cached. */
  minCacheTokens: number;
  thinking: readonly ThinkingMode[];
  /** The default display of thinking: its text, or a signature over empty text. */
  thinkingDisplay: "summarized" | "omitted";
  /** Whether a thinking block is bound to everything before it, so that an earlier edit makes it invalid. */
  bindsThinking: boolean;
  /** Whether `tool_choice` may be `any` or `tool`. */
  forcedToolChoice: boolean;
  /** Whether the last message may be the assistant's. */
  prefill: boolean;
}

const newest: ModelLimits = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  minCacheTokens: 512,
  thinking: ["adaptive"],
  thinkingDisplay: "omitted",
  bindsThinking: true,
  forcedToolChoice: false,
  prefill: false,
};

const four: ModelLimits = {
  ...newest,
  thinking: ["adaptive", "disabled"],
  bindsThinking: false,
  forcedToolChoice: true,
};

const fourFive: ModelLimits = {
  ...four,
  maxOutputTokens: 64_000,
  minCacheTokens: 4_096,
  thinking: ["enabled", "disabled"],
  thinkingDisplay: "summarized",
  prefill: true,
};

/**
 * The models the simulator knows, as of November 2026. The cache minimum of `claude-haiku-5-5`,
 * `claude-fable-5-2` and the mythos models is not published: the values here are assumed.
 */
export const currentModels: { readonly [id: string]: ModelLimits } = {
  "claude-fable-5-2": newest,
  "claude-mythos-5-2": newest,
  "claude-fable-5-1": newest,
  "claude-mythos-5-1": newest,
  "claude-opus-5-5": newest,
  "claude-sonnet-5-5": {
    ...newest,
    thinking: ["adaptive", "between_tools", "disabled"],
    forcedToolChoice: true,
  },
  "claude-haiku-5-5": {
    ...newest,
    minCacheTokens: 1_024,
    thinking: ["adaptive", "disabled"],
    forcedToolChoice: true,
  },
  "claude-opus-5": { ...four, minCacheTokens: 512 },
  "claude-fable-5": { ...four, thinking: ["adaptive"] },
  "claude-sonnet-5": { ...four, minCacheTokens: 1_024 },
  "claude-opus-4-8": { ...four, minCacheTokens: 1_024 },
  "claude-opus-4-7": { ...four, minCacheTokens: 2_048 },
  "claude-opus-4-6": {
    ...four,
    minCacheTokens: 4_096,
    thinking: ["adaptive", "enabled", "disabled"],
    thinkingDisplay: "summarized",
  },
  "claude-sonnet-4-6": {
    ...four,
    minCacheTokens: 1_024,
    thinking: ["adaptive", "enabled", "disabled"],
    thinkingDisplay: "summarized",
  },
  "claude-opus-4-5": { ...fourFive, contextTokens: 200_000 },
  "claude-sonnet-4-5": { ...fourFive, minCacheTokens: 1_024 },
  "claude-haiku-4-5": { ...fourFive, contextTokens: 200_000 },
};

/** The limits of `id`; a dated id (`claude-haiku-4-5-20251001`) has those of its undated name. */
export function limitsOf(
  id: string,
  models: { readonly [id: string]: ModelLimits } = currentModels,
): ModelLimits | undefined {
  const name = Object.hasOwn(models, id) ? id : id.replace(/-\d{8}$/, "");
  return Object.hasOwn(models, name) ? models[name] : undefined;
}
