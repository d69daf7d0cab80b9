/** The failures that models, tools and stores of random runs simulate, as the runtime prints them. */
export const PROVOKED =
  /^pawl: (the database is down|Overloaded|invalid_request_error|messages\S+ Could not process image|The model's answer was cut off\.|The process is dead\.)( \(http\S+\))?$/;
