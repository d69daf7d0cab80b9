/** Returns how a call has ended. A call that was answered without being run is `skipped`, and no success. */
export function resultPhase({
  success,
  skipped,
}: {
  success: boolean;
  skipped?: string | undefined;
}): "done" | "error" | "skipped" {
  if (skipped !== undefined) return "skipped";
  return success ? "done" : "error";
}
