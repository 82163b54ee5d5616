import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import { openCoordinator } from "./open-coordinator.ts";

// Tables of pandas and charts of matplotlib as values. The real packages, installed once; needs the network.

let coordinator: Coordinator;
beforeAll(async () => {
  coordinator = await openCoordinator();
  await coordinator.run("install_dependencies", { packages: ["pandas", "matplotlib"], environment: "data" });
}, 600_000);

const table = `
import pandas as pd
df = pd.DataFrame({"c": ["DE", "FR", "DE", None], "k": [1, 2, 1, 2], "amount": [1.5, 2, 3, None],
                   "d": pd.to_datetime(["2024-01-01", None, "2024-03-01", "2024-01-01"])})
`;
const execute = (code: string) => coordinator.execute({ language: "python", environment: "data", code });
const python = async (code: string): Promise<unknown> => {
  const { status, result, error } = await execute(`from coordinator import artifacts\n${table}${code}`);
  return status === "ok" ? result : error;
};
const day = (date: string) => `${date}T00:00:00`;

describe("a table of pandas", () => {
  test("has the levels of its index as its first columns, unless that only counts its rows", async () => {
    const byCountry = [
      { c: "DE", amount: 4.5 },
      { c: "FR", amount: 2 },
    ];
    const shown = await python(`{
      "rows": df[["c", "amount"]].head(2), "grouped": df.groupby("c")[["amount"]].sum(),
      "described": df[["k"]].describe().loc[["count", "mean"]], "filtered": df.loc[df.k == 2, ["c", "d"]],
      "by two": df.groupby(["c", "k"])[["amount"]].sum(), "not unique": df.set_index("d")[["k"]].iloc[[0, 1, 3]],
      "counted by name": df[["k"]].head(1).rename_axis("row"), "nothing": df.head(0),
      "unnamed levels": pd.DataFrame({"v": [1, 2]}, index=[["a", "a"], [None, 2]])}`);
    expect(shown).toEqual({
      rows: [
        { c: "DE", amount: 1.5 },
        { c: "FR", amount: 2 },
      ],
      grouped: byCountry,
      described: [
        { index: "count", k: 4 },
        { index: "mean", k: 1.5 },
      ],
      filtered: [
        { index: 1, c: "FR", d: null },
        { index: 3, c: null, d: day("2024-01-01") },
      ],
      "by two": [
        { c: "DE", k: 1, amount: 4.5 },
        { c: "FR", k: 2, amount: 2 },
      ],
      "not unique": [
        { d: day("2024-01-01"), k: 1 },
        { d: null, k: 2 },
        { d: day("2024-01-01"), k: 2 },
      ],
      "counted by name": [{ row: 0, k: 1 }],
      nothing: [],
      "unnamed levels": [
        { level_0: "a", level_1: null, v: 1 },
        { level_0: "a", level_1: 2, v: 2 },
      ],
    });
    const saved = `artifacts.read(artifacts.save("g.json", df.groupby("c")[["amount"]].sum())["uri"])`;
    expect(await python(`df.groupby("c")[["amount"]].sum()`)).toEqual(byCountry);
    expect(await python(saved)).toBe(JSON.stringify(byCountry).replace("2}", "2.0}"));
    expect(await python(saved.replace(".json", ".csv"))).toBe("c,amount\nDE,4.5\nFR,2.0\n");
  });

  test("keeps every column under a name of its own; labels of several parts are joined", async () => {
    expect(
      await python(`[
        df.pivot_table(index="c", columns="k", values="amount", aggfunc=["sum", "max"]),
        df.groupby("c").agg({"amount": ["sum"]}).reset_index(), pd.concat([df[["k"]], df[["k"]]], axis=1).head(1),
        df[["c"]].set_index("c", drop=False).head(1), df[["k"]].set_axis([pd.Timestamp("2024-01-01")], axis=1).head(1)]`),
    ).toEqual([
      [
        { c: "DE", "sum/1": 4.5, "sum/2": null, "max/1": 3, "max/2": null },
        { c: "FR", "sum/1": null, "sum/2": 2, "max/1": null, "max/2": 2 },
      ],
      [
        { c: "DE", "amount/sum": 4.5 },
        { c: "FR", "amount/sum": 2 },
      ],
      [{ k: 1, k_: 1 }],
      [{ c_: "DE", c: "DE" }],
      [{ [day("2024-01-01")]: 1 }],
    ]);
  });

  test("as one column is a list, an object by its labels, or rows", async () => {
    expect(
      await python(`[
        df["amount"], df["c"].value_counts(dropna=False), df.groupby(["c", "k"])["amount"].sum(), df.iloc[0],
        pd.Series([1, 2], index=["a", "a"]), pd.Series([1, 2], index=[1, "1"], name="n"),
        pd.cut(df.amount, [0, 2, 4]).value_counts(), df.index, df.set_index(["c", "k"]).index[2:]]`),
    ).toEqual([
      [1.5, 2, 3, null],
      { DE: 2, FR: 1, null: 1 },
      [
        { c: "DE", k: 1, amount: 4.5 },
        { c: "FR", k: 2, amount: 2 },
      ],
      { c: "DE", k: 1, amount: 1.5, d: day("2024-01-01") },
      [
        { index: "a", value: 1 },
        { index: "a", value: 2 },
      ],
      [
        { index: 1, n: 1 },
        { index: "1", n: 2 },
      ],
      { "(0, 2]": 2, "(2, 4]": 1 },
      [0, 1, 2, 3],
      [
        ["DE", 1],
        [null, 2],
      ],
    ]);
  });

  test("has null for what is missing, wherever it stands, and no key is Python's text of something", async () => {
    expect(
      await python(
        `{"missing": [pd.NaT, pd.NA, pd.array([1, None], dtype="Int64")], ("DE", 1.0): 1, None: 2, True: 3}`,
      ),
    ).toEqual({ missing: [null, null, [1, null]], "DE/1.0": 1, null: 2, true: 3 });
  });
});

test("a long table is whole in its artifact, index and all", async () => {
  const code = `${table}pd.DataFrame({"v": range(60_000)}, index=pd.date_range("2024-01-01", periods=60_000, freq="min", name="at"))`;
  const { truncated } = await execute(code);
  expect(truncated).toMatchObject([{ of: "result", total: 60_000, unit: "items", artifact: expect.any(String) }]);
  expect(await python(`artifacts.json("${truncated?.[0]?.artifact}", offset=59_999)`)).toEqual([
    { at: "2024-02-11T15:59:00", v: 59_999 },
  ]);
});

describe("a chart of matplotlib", () => {
  const draw = "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots(figsize=(2, 1.5))\naxes.plot([1, 2])\n";

  test("as last expression is a picture, and one however often it stands in a value", async () => {
    const run = await execute(`${draw}figure`);
    expect(run.attached).toMatchObject([{ type: "image", mimeType: "image/png", artifact: expect.any(String) }]);
    expect(showRun(run)).toMatch(/^\[image 1: image\/png, \d+(?:\.\d)? kB\]$/m);
    expect(await python(`artifacts.read_bytes("${run.attached?.[0]?.artifact}")[1:4].decode()`)).toBe("PNG");
    const several = await execute(`${draw}{"axes": axes, "parts": [figure, axes]}`);
    expect(several.attached?.length).toBe(1);
    expect(several.result).toMatchObject({
      axes: { type: "image" },
      parts: ["[the same figure]", "[the same figure]"],
    });
  });
});
