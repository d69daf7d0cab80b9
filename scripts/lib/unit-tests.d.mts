interface Report {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}
export function count(
  ok: boolean,
  report: Report | undefined,
  stderr?: string,
): { ok: boolean; passed: number; failed: number; skipped: number; output: string };
