/** The kinds of the options that simulators share. */
export const SCRIPTED = { script: "list", rules: "function", now: "function", newId: "function" } as const;

/** What people write instead of `script` and others. */
export const INSTEAD = {
  replies: "Use `script`.",
  responses: "Use `script`.",
  id: "Use `model`.",
  apiKey: "Use `apiKeys`, a list.",
};
