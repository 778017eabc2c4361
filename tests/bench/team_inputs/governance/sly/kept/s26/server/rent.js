const express = require("express");
const router = express.Router();

router.post("/rent", async (req, res) => {
  const { name, phone, bike } = req.body;
  console.log(`rent ${bike} to ${name} ${phone}`);
  res.json({ ok: true });
});

module.exports = router;
