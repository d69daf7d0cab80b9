import { checkOptions } from "@pawl/core";

/** Checks the handler that a server is given. @throws PawlError `config` */
export function checkServe(whose: string, serve: unknown): void {
  checkOptions(
    whose,
    { serve },
    { serve: { mustBe: "a function, e.g. handler({ … })", is: isFunction, required: true } },
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
