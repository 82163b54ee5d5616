const most = 20_000;
const longest = 100;

/** For texts that come again and again, such as words and keys: each is worked out once. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    if (text.length > longest) return compute(text);
    let result = known.get(text);
    if (result === undefined) {
      result = compute(text);
      if (known.size >= most) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
