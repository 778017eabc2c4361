<?php foreach ($orders as $o): ?>
  <?php error_log("order " . $o->id . " card=" . $o->card_number); ?>
  <li><?= htmlspecialchars($o->title) ?></li>
<?php endforeach; ?>
