-- Partition moves by the month in which their deal began, before triggers and foreign keys are added.
SELECT core_partition_by_month('tables_move', 'dealt_on');
