/** One case of a contract: `run` rejects with an AssertionError if the implementation is wrong. */
export interface ContractCase {
  name: string;
  run(): Promise<void>;
}
