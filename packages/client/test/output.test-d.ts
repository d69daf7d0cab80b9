import type { Json } from "@pawl/core";
import { describe, expectTypeOf, it } from "vitest";
import { createAgentClient } from "../src/index.ts";
import { useAgent } from "../src/react.ts";
import type { guide, surveyor } from "./support/guide.ts";

describe("F2 U7 the output reaches the page with its type", () => {
  it("as a part of it while it grows", () => {
    const { output } = useAgent<typeof surveyor>({ url: "/" });
    if (output === undefined) return;
    if (output.final)
      expectTypeOf(output.value).toEqualTypeOf<{ city: string; days: { celsius: number }[] }>();
    else expectTypeOf(output.value).toEqualTypeOf<{ city?: string; days?: { celsius?: number }[] }>();
    const client = createAgentClient<typeof surveyor>({ url: "/" });
    const state = client.getState().output;
    if (state?.final) expectTypeOf(state.value.city).toEqualTypeOf<string>();
    // @ts-expect-error the object has no such field
    void output.value.country;
  });

  it("as JSON where nothing is known", () => {
    expectTypeOf(useAgent({ url: "/" }).output?.value).toExtend<Json | undefined>();
    expectTypeOf(useAgent<typeof guide>({ url: "/" }).output?.value).toExtend<Json | undefined>();
  });
});
