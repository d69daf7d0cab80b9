import { join } from "node:path";
import { localIssuer } from "@pawl/example-trainer";
import { supabaseAuth } from "@pawl/supabase";
import { createClient } from "@supabase/supabase-js";
import type { Config } from "./config.ts";
import type { TrainerServing } from "./trainer-routes.ts";

/**
 * Returns the functions that check and issue access tokens. If Supabase Auth is configured, it issues them;
 * otherwise this server does, with the same checks.
 */
export async function tokens({
  supabase,
  dir,
}: Config): Promise<Pick<TrainerServing, "authorize" | "issue">> {
  if (supabase === undefined) return await localIssuer({ keyFile: join(dir, "issuer.json") });
  const { url, key } = supabase;
  const auth = { persistSession: false, autoRefreshToken: false };
  return { authorize: supabaseAuth({ client: createClient(url, key, { auth }), url }) };
}
