const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs checks, prints the outcome of each, and counts. */
export class Checks {
  passed = 0;
  failed = 0;
  skipped = 0;

  /** Runs one check, `() => { ok, output, note? }`. Its output is shown only if it fails. */
  async run(name, check) {
    const began = performance.now();
    const result = await settle(check);
    this.#say(name, result, began);
    result.ok ? this.passed++ : this.failed++;
    return result;
  }

  /** Runs checks, `{ name: check }`, two at a time. */
  async runAll(checks) {
    const waiting = Object.entries(checks);
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.run(...next);
    };
    await Promise.all([worker(), worker()]);
  }

  /** Runs a suite of tests, `() => { ok, output, note, passed, failed, skipped }`, and adds its counts. */
  async suite(name, suite) {
    const began = performance.now();
    const result = { passed: 0, skipped: 0, failed: 1, ...(await settle(suite)) };
    for (const key of ["passed", "failed", "skipped"]) this[key] += result[key];
    this.#say(name, result, began);
  }

  /** Returns the last line of the output: the counts. */
  summary() {
    const skipped = this.skipped > 0 ? `${this.skipped} skipped\n` : "";
    return `${skipped}${this.passed} passed, ${this.failed} failed`;
  }

  #say(name, { ok, output, note }, began) {
    const time = seconds(began).padStart(8);
    console.log(`${ok ? "ok  " : "FAIL"}  ${name.padEnd(10)} ${time}${note ? `  ${note}` : ""}`);
    if (!ok && output) console.log(output.trimEnd().replaceAll(/^/gm, "      "));
  }
}

async function settle(check) {
  try {
    return await check();
  } catch (error) {
    return { ok: false, output: error?.stack ?? String(error) };
  }
}
