/** The model's requests: those of the planner, of the reviewer, and of the agent's turns. */
export type Part = "plan" | "review" | "turn";

/** Holds requests of the model back, so that the test can act in the middle of a run. */
export class Gate {
  readonly #held = new Map<Part, PromiseWithResolvers<void>>();
  hold(part: Part): void {
    this.#held.set(part, Promise.withResolvers());
  }
  release(part: Part): void {
    this.#held.get(part)?.resolve();
    this.#held.delete(part);
  }
  open(): void {
    for (const part of [...this.#held.keys()]) this.release(part);
  }
  async pass(part: Part): Promise<void> {
    await this.#held.get(part)?.promise;
  }
}
