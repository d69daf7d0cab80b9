// The module that `pawl worker` loads.
import { connect } from "./app.ts";

export const { pawl, close } = await connect({ concurrency: 10 });
