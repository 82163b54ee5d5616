import { errno, SystemCallFailure } from "./errno.ts";

/** A system call that answers with a number or nothing, and with the negative number of its failure. */
export function systemCall<A extends unknown[]>(body: (...args: A) => unknown) {
  return (...args: A): number => {
    try {
      const result = body(...args);
      return typeof result === "number" ? result : 0;
    } catch (thrown) {
      if (thrown instanceof SystemCallFailure) return -thrown.number;
      throw thrown;
    }
  };
}

/** The same with the positive number, for calls that put their answer elsewhere. */
export function wasiCall<A extends unknown[]>(body: (...args: A) => void) {
  const call = systemCall(body);
  return (...args: A): number => -call(...args);
}

type NumberCalls = Readonly<Record<string, (...args: number[]) => unknown>>;

/** System calls that take numbers, by the names that the C library has for them. */
export function systemCalls(bodies: NumberCalls): NumberCalls {
  const calls = Object.entries(bodies).map(([name, body]) => [`__syscall_${name}`, systemCall(body)]);
  return Object.fromEntries(calls);
}

/** A system call that there is not. */
export function refuse(number: number) {
  return (): number => -number;
}

export function answer<T>(value: T) {
  return (): T => value;
}

/** A size or an offset: not negative, and no larger than a number can say. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new SystemCallFailure(errno.overflow);
  return number;
}
