/** One case of a contract. `run` rejects with an AssertionError if the implementation breaks the contract. */
export interface ContractCase {
  name: string;
  run(): Promise<void>;
}
