/** Python text as it stands, without the indentation that it has here. */
export function python(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const lines = String.raw(strings, ...values).split("\n");
  const indent = lines.find((line) => line.trim() !== "")?.match(/^ */)?.[0] ?? "";
  return lines
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join("\n")
    .trim();
}

/**
 * Begins the code of a row that tries many things: `attempt(name, act)` notes what each gave, `strike(os)` goes for files
 * and variables with an `os` module however it was found, `loose` hides a value from the check. Secrets are printed in
 * full wherever they turn up; what else was got is cut.
 */
export const attempts = python`
  import builtins, os, re, sys
  from typing import Any
  setattr(builtins, "pwned", 1)
  out: list[Any] = []
  def loose(value: Any) -> Any:
      return value
  def show(value: Any) -> str:
      text = value.decode("latin-1") if isinstance(value, (bytes, bytearray)) else value if isinstance(value, str) else repr(value)
      found = set(re.findall("canary-[a-z]+-[0-9a-f]{24}", text))
      if found:
          print("found", *found)
      return text[:100]
  def attempt(name: Any, act: Any) -> Any:
      try:
          got = act()
          out.append(str(name) + ": " + show(got))
          return got
      except BaseException as error:
          out.append(str(name) + ": " + type(error).__name__ + " " + show(str(error)))
  def is_system(value: Any) -> bool:
      try:
          return hasattr(value, "environ") and hasattr(value, "open")
      except BaseException:
          return False
  def strike(system: Any = os) -> str:
      got: list[str] = []
      def one(act: Any) -> None:
          try:
              got.append(show(act()))
          except BaseException as error:
              got.append(type(error).__name__)
      for path in %FILES%:
          one(lambda: system.read(system.open(path, system.O_RDONLY), 4096))
      for path in %WRITES%:
          one(lambda: system.write(system.open(path, system.O_CREAT | system.O_WRONLY), b"x"))
      one(lambda: dict(system.environ))
      return " ".join(sorted(set(got)))
`;

/** An attack of many attempts; its result is what each of them gave. */
export function trying(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return `${attempts}\n${python(strings, ...values)}\nout`;
}

/**
 * Begins the code of a row that speaks to the host past all functions of the guest: `forge` sends a frame, `send` bytes,
 * `host` and `channel` are the guest's own objects, found by following references from a function that it was given.
 * Where they cannot be found the run ends well, which no such row expects.
 */
const forging = python`
  import collections, gc, json, os, sys, time
  from typing import Any
  import mcp_tools
  def loose(value: Any) -> Any:
      return value
  def reach(start: Any, kind: str) -> Any:
      seen: dict[int, Any] = {}
      queue = collections.deque([start])
      while queue:
          at = queue.popleft()
          if id(at) not in seen:
              seen[id(at)] = at
              if type(at).__name__ == kind:
                  return at
              queue.extend(gc.get_referents(at))
  host = reach(mcp_tools.call, "Host")
  channel = reach(host, "Channel")
  if not isinstance(getattr(channel, "_writer", None), int):
      sys.exit(0)
  def send(data: bytes) -> None:
      while data:
          data = data[os.write(channel._writer, data):]
  def forge(message: Any) -> None:
      body = message if isinstance(message, bytes) else message.encode() if isinstance(message, str) else json.dumps(message).encode()
      send(len(body).to_bytes(4, "big") + body)
  def refused(server: str, tool: str) -> bool:
      try:
          host.call(server, tool, "{}")
          return False
      except mcp_tools.ToolError as error:
          return error.delivery == "not_sent"
`;

/** An attack on the protocol. */
export function forged(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return `${forging}\n${python(strings, ...values)}`;
}
