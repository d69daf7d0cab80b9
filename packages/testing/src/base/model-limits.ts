/**
 * A value of `thinking.type` that a model accepts. With `between_tools`, the model also thinks between tool
 * calls.
 */
export type ThinkingMode = "adaptive" | "between_tools" | "disabled" | "enabled";

/** The limits and features of one model, as the simulated API enforces them. */
export interface ModelLimits {
  /** The maximum length of a prompt, in tokens. */
  contextTokens: number;
  /** The maximum length of an answer, in tokens. */
  maxOutputTokens: number;
  /**
   * The minimum length of a prefix that is cached, in tokens. A shorter one is not cached, without an error.
   */
  minCacheTokens: number;
  /** The values of `thinking.type` that requests may have. */
  thinking: readonly ThinkingMode[];
  /** What thinking blocks show by default: their text (`summarized`), or only a signature (`omitted`). */
  thinkingDisplay: "summarized" | "omitted";
  /** Whether a thinking block becomes invalid if anything before it is edited. */
  bindsThinking: boolean;
  /** Whether requests may force a tool call (`tool_choice` of type `any` or `tool`). */
  forcedToolChoice: boolean;
  /** Whether a request may end with an assistant's message, for the model to continue. */
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
 * The models that the simulator knows by default, as of November 2026. Anthropic has not published the
 * minimum length of a cached prefix for `claude-haiku-5-5`, `claude-fable-5-2` and the mythos models: these
 * values are assumed.
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

/**
 * Returns the limits of a model, or `undefined` for an unknown one. A dated id (`claude-haiku-4-5-20251001`)
 * has the limits of its undated name.
 *
 * @example
 * ```ts
 * import { limitsOf } from "@pawl/testing";
 *
 * console.log(limitsOf("claude-haiku-4-5-20251001")?.contextTokens); // 200000
 * ```
 */
export function limitsOf(
  id: string,
  models: { readonly [id: string]: ModelLimits } = currentModels,
): ModelLimits | undefined {
  const name = Object.hasOwn(models, id) ? id : id.replace(/-\d{8}$/, "");
  return Object.hasOwn(models, name) ? models[name] : undefined;
}
