import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";

/** The kinds of the options that simulators share. */
export const SCRIPTED = { script: "list", rules: "function", now: "function", newId: "function" } as const;

/** Names that people write instead of `script` and other options. */
const INSTEAD = {
  replies: "Use `script`.",
  responses: "Use `script`.",
  id: "Use `model`.",
  apiKey: "Use `apiKeys`, a list.",
};

/**
 * Checks the options of a simulator. A common mistake is to pass the script alone, as to `scriptedModel()`.
 *
 * @throws PawlError `config`
 */
export function checkSimulated<Options extends object>(
  whose: string,
  options: unknown,
  kinds: OptionKinds<Options>,
): void {
  const isScript = Array.isArray(options);
  if (isScript || typeof options === "function") {
    const [got, option] = isScript
      ? ["a list", "script: [ … ]"]
      : ["a function", "rules: (request) => ({ … })"];
    const call = whose.replace("()", `({ ${option} })`);
    throw new PawlError("config", `${whose} takes an object of options; got ${got}. Write ${call}.`);
  }
  checkOptions(whose, options, kinds, { instead: INSTEAD });
}
