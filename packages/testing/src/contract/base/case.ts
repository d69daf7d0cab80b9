/** One case of a contract. `run` rejects with an AssertionError if the implementation breaks the contract. */
export interface ContractCase {
  /** The title of the case. */
  name: string;
  /** Runs the case. Rejects if the implementation breaks the contract. */
  run(): Promise<void>;
}
