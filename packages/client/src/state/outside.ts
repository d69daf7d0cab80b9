/**
 * Calls a listener. Its errors are rethrown in a timer, so that they are reported but do not interrupt
 * reading.
 */
export function outside(call: () => void): void {
  try {
    call();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
