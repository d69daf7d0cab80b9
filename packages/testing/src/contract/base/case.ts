/** One case of a contract: `run` rejects with an AssertionError when what is tested is wrong. */
export interface ContractCase {
  name: string;
  run(): Promise<void>;
}
