const order = new Intl.Collator(undefined, {numeric: true});
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((cell, n) => {
    const button = document.createElement("button");
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const down = cell.ariaSort === "ascending";
      for (const other of cell.parentNode.cells) other.removeAttribute("aria-sort");
      cell.ariaSort = down ? "descending" : "ascending";
      const rows = [...body.rows].sort(
        (a, b) => order.compare(a.cells[n].textContent, b.cells[n].textContent));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}
