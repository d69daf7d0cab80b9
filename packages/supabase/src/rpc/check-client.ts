import { checkOptions } from "@pawl/core";

/** Checks that `client` is one of supabase-js. @throws PawlError `config` that names the function `whose` */
export function checkRpcClient(whose: string, client: unknown): void {
  const is = (given: unknown) => typeof Object(given).rpc === "function";
  const mustBe = "a client of supabase-js, made by createClient()";
  checkOptions(whose, { client }, { client: { mustBe, is, required: true } });
}
