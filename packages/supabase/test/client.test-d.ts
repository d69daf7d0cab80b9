import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { expectTypeOf, it } from "vitest";
import { type RpcClient, supabaseStore } from "../src/index.ts";

type Table = { Row: { id: string }; Insert: { id: string }; Update: { id?: string }; Relationships: [] };
type Of<Functions> = {
  public: { Tables: { things: Table }; Views: Record<never, never>; Functions: Functions };
};
type None = Of<Record<string, never>>;
type Empty = Of<{ [_ in never]: never }>;
type Some = Of<{
  add: { Args: { a: number }; Returns: number };
  list: { Args: Record<PropertyKey, never>; Returns: { id: string }[] };
}>;

it("E9 any client of supabase-js fits, with or without generated types", () => {
  expectTypeOf<SupabaseClient>().toExtend<RpcClient>();
  supabaseStore(createClient("https://x.supabase.co", "key"));
  supabaseStore(createClient<None>("https://x.supabase.co", "key"));
  supabaseStore(createClient<Empty>("https://x.supabase.co", "key"));
  supabaseStore(createClient<Some>("https://x.supabase.co", "key"));
});
