// Stands in for src/sandbox/open-sandbox.ts in the relay's bundle: the same guest process, and nothing between it and whoever answers its calls.
import { createFrameReader, encodeFrame } from "../src/sandbox/frames.ts";

const anySize = 0xffffffff;

/** Resolves when the process is ready for a program. */
export function openSandbox(guest, { outputBytes }) {
  return new Promise((resolve, reject) => {
    let take;
    const sandbox = {
      ended: false,
      /** Runs a program; `call` gets its calls and a function that sends the JSON text of a value back. */
      run: (program, call) =>
        new Promise((done, fail) => {
          take = (message) => {
            if (message.type === "call") call(message, (value) => send(answer(message.id, value)));
            else if (message.type === "done") done(message.value);
            else fail(new Error(JSON.stringify(message)));
          };
          send(JSON.stringify({ type: "run", ...program, outputBytes }));
        }),
      kill() {
        sandbox.ended = true;
        guest.kill();
      },
    };
    const send = (json) => guest.input.write(encodeFrame(json));
    const receive = (bytes) => {
      const message = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
      if (message.type === "ready") resolve(sandbox);
      else take(message);
    };
    const reader = createFrameReader(anySize, receive, reject);
    guest.output.on("data", (chunk) => reader.push(chunk));
    guest.input.on("error", () => {}); // it has been killed
    guest.output.on("error", () => {});
    void guest.gone.then(({ lastWords }) => reject(new Error(lastWords)));
  });
}

function answer(id, value) {
  return `{"type":"answer","id":${id},"value":${value}}`;
}
