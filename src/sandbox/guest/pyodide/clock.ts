/** The C library's questions about time. The guest lives in UTC. */
export function createClock(heap: () => DataView) {
  const now = (): number => performance.timeOrigin + performance.now();
  const setDate = (pointer: number, date: Date): void => {
    const at = pointer >>> 0;
    const fields = [
      ...[date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth()],
      ...[date.getUTCFullYear() - 1900, date.getUTCDay(), dayOfYear(date), 0, 0],
    ];
    for (const [index, field] of fields.entries()) heap().setInt32(at + index * 4, field, true);
  };
  const breakDown = (seconds: bigint, pointer: number): void => setDate(pointer, new Date(Number(seconds) * 1000));
  const combine = (pointer: number): bigint => {
    const field = (index: number): number => heap().getInt32((pointer >>> 0) + index * 4, true);
    const date = new Date(0);
    date.setUTCFullYear(field(5) + 1900, field(4), field(3));
    date.setUTCHours(field(2), field(1), field(0));
    if (Number.isNaN(date.getTime())) return -1n;
    setDate(pointer, date);
    return BigInt(date.getTime() / 1000);
  };
  return {
    clock_time_get(clock: number, _precision: bigint, out: number): number {
      const milliseconds = clock === 0 ? now() : performance.now();
      heap().setBigInt64(out >>> 0, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    clock_res_get(_clock: number, out: number): number {
      heap().setBigInt64(out >>> 0, 1000n, true);
      return 0;
    },
    emscripten_date_now: now,
    emscripten_get_now: () => performance.now(),
    _gmtime_js: breakDown,
    _localtime_js: breakDown,
    _mktime_js: combine,
    _timegm_js: combine,
    _tzset_js(offset: number, daylight: number, standardName: number, daylightName: number): void {
      heap().setInt32(offset >>> 0, 0, true);
      heap().setInt32(daylight >>> 0, 0, true);
      for (const name of [standardName, daylightName]) heap().setUint32(name >>> 0, 0x00435455, true); // "UTC"
    },
  };
}

function dayOfYear(date: Date): number {
  const start = new Date(date.getTime());
  start.setUTCMonth(0, 1);
  start.setUTCHours(0, 0, 0, 0);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000);
}
