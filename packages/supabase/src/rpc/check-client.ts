import { checkOptions } from "@pawl/core";

/** Checks a client that a function was given. @throws PawlError `config` */
export function checkRpcClient(whose: string, client: unknown): void {
  const is = (given: unknown) => typeof Object(given).rpc === "function";
  const mustBe = "a client of supabase-js, made by createClient()";
  checkOptions(whose, { client }, { client: { mustBe, is, required: true } });
}
