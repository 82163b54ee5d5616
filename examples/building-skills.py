# What worked once is kept as a skill: checked, tested in the sandbox, versioned, importable by every later run.
#
#   mcp-coordinator run examples/building-skills.py --config examples/configs/shop.json
#
# Then: mcp-coordinator skills run best_customers count=2 --config examples/configs/shop.json
from coordinator import skills

code = '''
import asyncio
from collections import Counter
from mcp_tools.aio.shop import get_customer, list_orders

async def best_customers(count: int = 3) -> list[str]:
    """The customers with the largest revenue.

    count: how many of them
    """
    revenue: Counter[str] = Counter()
    page = await list_orders()
    while True:
        for order in page["orders"]:
            revenue[order["customer"]] += order["amount"]
        if "next" not in page:
            break
        page = await list_orders(cursor=page["next"])
    best = [customer for customer, _sum in revenue.most_common(count)]
    return [found["name"] for found in await asyncio.gather(*(get_customer(id=customer) for customer in best))]
'''

tests = '''
from skills.best_customers import best_customers

assert len(await best_customers()) == 3
assert len(await best_customers(count=100)) == 12
'''

saved = skills.save("best_customers", code, tests=tests, tags=["shop", "revenue"])
print(f"{saved['name']} uses {', '.join(saved['tools'])}")
print([skill["name"] for skill in skills.search("customers")])
