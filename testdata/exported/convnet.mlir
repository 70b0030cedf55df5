module @jit_convnet attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x12x12x3xf32>) -> (tensor<2x10xf32> {jax.result_info = "result[0]"}, tensor<2x10xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[0.0250093583, -0.112027556, 0.00182913686, 0.123233564, -0.162525401, -0.137084633, -0.193408892, 0.11241357, -0.109703325, -0.0411856435]> : tensor<10xf32>
    %cst_0 = stablehlo.constant dense<"0xBDAE1D3F863E07BED16D0DBFA911853E40830EBE75218B3C0ADE603E284985BE84D254BEC909F9BCB08F763EE072C2BE2938D43E507BD53D2F1DA6BE7061323C4FE3253ED483B43E84517D3E3945A53E9F8F2ABDEA0E573E8D1744BFCFA2943E71C544BCD0BFEA3EDEAE2EBEA34B0CBEE66D523C51C3703EB58AC43D7290983E17AE833CC4B39A3ED4104F3FA158B83ED99E393E4B84D5BEC5A23D3E2DECA13E3B643FBD3F0A9C3E061D20BFC78943BEA9EE86BECC70223E211A6ABE1A538BBE45A0DB3E3886D3BE0CC3193E1142A43E014697BD8CC483BE3B764FBDA3F126BE1CDE66BE20888B3DA26312BC234B673F078BC13E7BFD6E3D10F32B3E653EFB3E2C97B03E89DCB43C30BD5FBEB0B7043F4C19A63B66229F3D2D60CD3EFD3F803D86D0C33E2FC599BD2B30803DF0AD43BDAC131D3FB0E2D2BE710247BD861E7FBE25D653BEFA7FBCBEE62A6FBEDF1EB43E83B0D63EC73F41BEFE6CB5BE21DD0FBEF8F5F03E4A70C1BC3C741EBFA52B773E9F9621BD426C313E5195E73DEC42C2BE2E93943E6AA5403E1D9D4CBEBE6C29BFB843AFBE815CABBE00D9443EF03935BE18370ABE5B84263BD7690ABE73A0D73D3252AB3DB684873ED0FBB9BEA488C23D2903AFBD865C1A3F58ACD53E5433FABD3F578A3E032C03BF99A69EBE5487A7BD"> : tensor<12x10xf32>
    %cst_1 = stablehlo.constant dense<[[[[0.401381791, 0.280515373, -0.629030704, -0.430373192, 0.188313097, -0.0949717313, 0.0851551219, -0.175149158]], [[-0.219003439, 0.184446886, -0.133562133, -9.16713732E-4, 0.0851246342, 7.721610e-02, 0.386210531, 0.456091851]], [[-0.456147641, -0.0898259729, -0.216276795, 0.251095772, -0.356758147, 0.257740706, 0.232790604, 0.191888243]]], [[[-0.325351447, -7.256230e-02, -0.361114264, 0.131302163, 0.317358434, -0.507979095, -0.276662558, -0.0555016436]], [[-0.178080708, 0.496678323, -0.0494558811, 0.0832052082, -0.371561199, 0.513393879, 0.0542836897, 0.257036746]], [[0.0280421097, -0.707831919, -0.533546269, -0.430222958, 0.156246528, -0.170725763, 0.142112553, 0.0949256271]]], [[[0.0824876427, 0.305715859, 0.0601794049, -0.547886133, -0.226956576, 5.530890e-01, -0.357888341, 0.453999281]], [[0.550806344, -0.198368594, 0.11474961, -0.467462122, 0.257426769, -0.259275794, -0.436816305, -0.131012872]], [[-0.152462602, -0.19510752, 0.0654209778, -0.0563290864, -0.221160129, 0.31626609, 0.807171285, 0.0216810592]]]]> : tensor<3x3x1x8xf32>
    %cst_2 = stablehlo.constant dense<[0.0943668038, -0.0270344764, -0.248553142, 0.0481896959, 0.113249823, 0.130417049, -0.280183196, 0.0152739603]> : tensor<8xf32>
    %cst_3 = stablehlo.constant dense<[0.0811195671, 0.0605641678, -0.0236004703, -0.180133864, -4.336090e-02, -0.03234642, 0.0573871434, 0.0639724806]> : tensor<8xf32>
    %cst_4 = stablehlo.constant dense<[0.929559648, 0.900722503, 1.05899584, 0.974344611, 1.00150573, 0.800529181, 0.886793613, 0.883775174]> : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<[0.952057659, 1.17659581, 0.799840569, 0.868132412, 0.993799805, 1.11800826, 0.93660736, 1.26127422]> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<"0xEBA73B3D565D143E5CF9CBBDEE678DBEB7C22DBE62E067BD87E4283D2212FC3DDC0425BE512141BA34554CBD595B52BAD765353ECBDC563E2B1FB0BD3DDDDCBDF924F9BD7400C1BD444E9ABDB7400DBD10D4B8BD636A3DBEBEE24DBE29816D3B7385CD3E7EDEB23DBA3CD23DAF98583DC68C04BDAC1FA83EEEC66CBDFB0B2CBE189658BE7EDAD03CB0F02FBE39C71ABE102A1ABEDC5C66BE2DD7B73C9E3992BEF613C03EA9A9EEBEB18B73BEFAE1B23BBB0B853DD4867CBD1F59323D47C9D23C96C8943C1DF2C23DAD521E3D7D6694BC97C2C9BC5A2B163E7EA8FFBC9568C23DA301873E53BE843D78014F3EB13591BD6A273F3D89FFB03D329D233DCCF3A63DB09A713E1CC251BD0845E2BDF827643D8BEF77BE7E9DE2BAD8D04B3EA135E9BAAAC8BA3DAC25833DF1414D3E0BCFAC3D75A80A3D7D1E0EBFC260B3BD9CD6F03DA85ECEBCBAAA01BE4515183E1DB019BE5C7377BDDEFBE03DC468B9BDF6FCC03C97A10DBCA62353BE57D7C1BD53068CBDA079EDBD12DA313E317152BC02B5EDBDB85777BE6A4183BDD0BF543E50397DBDB1D3EA3D031E833D6C79C8BD81302EBE945AA03D6B8B95BE2056AB3DF72056BE4EDE063E2B7B9BBDBC7ACCBCCA1D293EE7AB34BE55CC82BA03357EBDE8719B3D9A74E33DCE15213D9E1DD63C43BC9ABD8C0CBE3DEEB840BDAABE633C1FD1BE3CAB5B6FBEB11748BEBDB1F23C7DD822BCF4B54E3E1477D2BE1C18EA3C6F2F333E7BF8163C0BF8FD3DE8A411BB0A3273BC3A25143EB48F61BEFA51C1BEE891973D6A47793CA503623C163B2E3D588ECA3DC1D2A7BDBB53963D8BE4413DB6AC47BE1E18F2BC3BB0263DF18C0ABEA89E2C3E09E05CBD1E70043E8224733E637A7EBE578A64BEF625C13DA2D80CBD9C6DA93D2176913E1771A9BD3128103EEAE436BD0FA5DEBD69289D3D30EC283D68A3353E99344F3D9B46133EFBF0AF3D293391BE7EB478BDC92D5DBD3B33173E3E9332BE6019FF3C9F648CBD78829ABE87A3CDBC8A2FD93D934578BDEEF81D3E1F14843DAD12563DF9D2ACBD5AFDD9BC56B69F3D6B7E8C3BD0C750BE37C6E8BC6184883D82BC3F3EE78C0F3E9E4F26BEF318EE3D786D88BEFED1DBBD55EE09BE18BF813ECB56EA3DE38A4C3DCFF5D1BD5498533E96A924BD2F71A23DCCEF3C3EF9CF47BD3D7ABA3D0EE6A7BE0C06C83D85A78FBEFD898F3D4D0B4D3DD2C9A63D2825C63E44E3D2BEC8C7A03DD80D82BD2C4F033E928B603D0D09A63CEB71A5BDAA21ECBD58E77D3D4AEC7DBE14483A3EC91CBDBD94EDA33D652C46BE3436A43DD4880EBDE5B1073EE60A553E4D2CB0BD5D38B23C0A32373DA0AC7C3E657D58BE7C62D43DB4E6B83A71ED47BE57574DBDE4ADD9BD7AC1413E014E1BBE875C333EB24A91BD5F5FF33D2DAD8EBE759FF7BD6D8C063DCDDB15BEA09181BE87831B3CB9BD0B3EB1D9013C37DEEDBC4816973D9F6884BD11CF233E4498423E5FBD52BE78F1383E02E8F53DE629603D1838F93D4DE57A3ED1CEA73EBA248E3E6F1D05BD9BAA6C3E3A1B8ABE1652223EC59B013EDEB6303E450C0FBEB9BB7F3EF7FD633E6979373DF9D267BE5E80843D1C6006BE445280BEFCD2E0BDEDA9CC3E4BA872BE75464ABDCF271C3DB597263ED83025BE080823BE52BD1A3E15E9433D8151543EC33344BE5F958BBC82A01E3E03F5A93C739F3FBE2634A43C6987A1BEFAAC03BE9660023E0A7F163E2B31863DDCB5E73D085681BEB39CE2BD39712F3EC3DBC13E5B1C953D15CF1EBE89E425BE71914A3E7EFA363E2F2050BEF619AB3C9EAA693E956E6D3EAD5EB5BD613200BD7EE89A3D2F513CBEF3878BBE6D4BECBDEDEA4B3E0D1E373EF06C9D3DCB474ABED6D9A8BEAF8835BEBDAAF939B57D283E485E1EBEA60A6B3B63939DBE1F0FB9BE64C14BBC7E4657BEFB893EBEB3DAC8BE2682F43DB99FA1BED32B66BC298289BE5D76ACBD72934E3E7E34983CCE140ABBD5E9013E6196883D63B0563E555D87BED907523E25A019BC80B845BE06FEA33D02658F3DD531A7BC7B15FE3D8E4472BE708196BEC5D9EEBDAD6E283E670A933D342F7CBC1E08F7BD6DA186BC56D1373E1640DABD4CA0E3BDF15B743D08B2C43D754B463C9F236A3EDB8AC53C276C2EBE07D5BFBEA0BB403E1D1F0BBD8F50473D788E903D4AAA613EF4682E3E3313273E5E363E3D206B19BDB80D3B3DBAB009BE454F813D52CE383E847AFB3DA730E73CFFC611BEA40613BE3266F0BDE87683BD75679D3D1F2CAD3DCBACC93D521A2F3EE92E23BEF00E05BD9F8DB93D28EF093E1852E0BD7979E8BD5B38453EFC2DEE3D55F59D3D893A36BDAA9B1FBE049708BBCB5D5E3DF33AAF3D2B7D153E8F60AF3CDF7A573EE19B58BD937D713D7FAB623CFD8E96BE352F5BBE69B5AEBDE17FDA3C2CDB663DC6AC5A3E2ACD8EBA353D59BD753A5E3D2AB04DBE"> : tensor<3x3x4x12xf32>
    %cst_7 = stablehlo.constant dense<[-0.175903678, 0.00738441199, -0.0574855208, -0.134971514, -0.181216136, -0.0919380709, -0.0427535065, -0.00594749488, -0.164388105, -0.00747651188, 0.0283879265, 0.217700049]> : tensor<12xf32>
    %cst_8 = stablehlo.constant dense<[3.387780e-02, 0.0893782302, -0.0730715245, -0.00194043771, -0.0740415305, -0.0844698101, 0.0477754287, -0.024072567, 0.14348188, -0.00411723228, 0.0411170535, -0.121967927]> : tensor<12xf32>
    %cst_9 = stablehlo.constant dense<[0.981167674, 0.899660766, 1.00571752, 0.930002748, 9.576200e-01, 1.18882501, 1.10905707, 1.24696565, 1.0178113, 9.811310e-01, 0.920439064, 0.995301783]> : tensor<12xf32>
    %cst_10 = stablehlo.constant dense<[0.809044837, 1.13449383, 0.866762877, 1.26710629, 0.841995298, 0.829941332, 1.4185344, 0.688907682, 0.899544119, 1.10510099, 1.12133479, 0.785930335]> : tensor<12xf32>
    %cst_11 = stablehlo.constant dense<[[[[0.14527756, -0.335573703, 0.0302598886, -0.31377995, -0.340317726, -0.504661202, 4.941160e-01, 0.321526408, -0.565889597, 0.393475056, 0.339749604, -0.128464922], [0.179318354, 0.793714762, 0.101197928, 0.149163529, 3.968120e-01, -0.365807801, -0.447571307, -0.498301625, -0.0272842962, 0.308568448, -3.036150e-01, -0.484080672], [0.0768072903, -0.123536773, 0.2226367, -0.0347059593, -0.052644562, -0.016382372, 0.0266944263, -0.326068759, -0.382437527, 0.576949477, 1.10802114, 0.412055641], [-0.559804738, 0.027551759, 0.437958658, -0.555265546, -0.154181108, -0.126226559, -0.305313259, -0.277329475, 0.377606839, -0.140500307, -0.061010424, 0.62707895], [-0.280704468, -0.657459378, 0.24926357, 0.732196867, 0.0947044268, 0.128503159, -0.435596198, -0.311845869, 0.538220406, 0.465301275, 0.227556631, -0.208459511], [-0.403455943, -0.352965385, -0.398922324, 0.231859833, -0.265136391, -0.163203463, 0.25625959, 2.477960e-01, 0.0255324729, 0.176086187, 0.00724987732, -0.680768191], [-0.0244975444, -0.147699594, -0.124323502, 0.0867166444, -0.199575856, 0.433924794, -0.0599278733, 5.948430e-02, 0.117389508, -0.0605689324, 0.229869351, 0.268518418], [0.224064022, -0.251619667, -0.322448432, -0.217890114, -0.00240404857, -0.668286383, -0.305725545, -0.4147273, -0.246491194, -0.335085481, 0.280188292, 0.150036365]]]]> : tensor<1x1x8x12xf32>
    %cst_12 = stablehlo.constant dense<[0.0714599267, -0.100571074, 0.151399136, 0.0977536439, 0.0687070042, -0.124901392, -0.0171003174, 0.131515086, 0.048743695, 0.0795939788, -0.0271327663, 0.151037112]> : tensor<12xf32>
    %cst_13 = stablehlo.constant dense<[-0.024463892, 0.0921232923, 0.0321305022, -0.0968338921, 0.148412272, -0.126437455, -0.0740113556, 0.01388798, -0.141027167, -0.181201532, -0.0123450346, -0.0434086621]> : tensor<12xf32>
    %cst_14 = stablehlo.constant dense<[1.09355724, 0.898606717, 0.919541835, 0.967765986, 1.16381502, 1.16612124, 0.936117887, 1.06133556, 1.21354795, 0.895594298, 0.979703783, 1.1289953]> : tensor<12xf32>
    %cst_15 = stablehlo.constant dense<[0.944244682, 1.10130715, 1.50146079, 0.916351854, 1.54744542, 1.04650581, 0.978200972, 0.529998541, 0.714002371, 1.04889107, 1.10974109, 0.835478246]> : tensor<12xf32>
    %cst_16 = stablehlo.constant dense<"0x4F894F3EAC0BAF3E5396FBBE4C82D9BCC7C5473E883B853E63D7003E8784933E0591643D7446D93D01E50C3DC89F53BE20D826BEC69B953D46ADE4BD4E957A3E6FB07E3E0F3EB13E4D6DA4BBD457883E758332BEC8DE20BEAD2D803C55D85D3D318E9DBE3489AABE27F38B3D13E929BE2D216E3E6D819B3D6825723D6B4F243D6578303EFB48F1BCB0F1553E5F48CFBD365C31BD3D1B06BEA68FEB3D1C4BE23B0FED29BE0F41C53E7B5A8FBD405AB7BCF05A9B3D2D34AC3E34EFE9BC57930A3E83C19B3CEE3B90BEF7121C3EE122493EE22C3DBD7DB042BB6DEE93BE301096BE14509ABD39B4F63DBC13B9BDCB31663D83B73E3E6CF9963C706BE23D59AA8E3EAA8D75BE51A2123ED4B4B9BE6C20AA3D0604203D1526D6BD0D4E54BEACF542BCC8B0A1BDCBE7993C45E632BE5003D73D45224CBE3CD26FBD4F7F9ABD76DC793E9B6093BEB42EA3BDB606693E13BD01BEDE4274BE00F55E3DB79F64BD1581243E596135BE387F163DE245033ECA1B4C3EA0FC59BED04A8C3ED27F31BED00995BEAB1D3CBEB820F43C90A77DBDA799AD3D0356C33D19C97A3D5CA348BDCABFB23E0B5BDABEA4E4AABE6DC8C7BD415D77BEC1D8FBBEEBAE1CBEF3A713BE3644F1BEBF38293EDE01803E0B3E733E355BC8BDD7B7E83C78E05CBEC0BA223DE7DB04BEEB8CA13DA82D87BDB0B84B3E0FE6223E4F28743E4B2D9EBE434BB3BE35869F3D0B7BE3BDA6CC9C3DB9996B3D1D0F0E3D0228353E3462DB3D7635BA3DE32430BE5EF0A93EE29CC73C3C2A5A3ED6E8803D06277A3E690EF23C84892B3D1445D93C9DA80BBE0C74E1BD1FACE7BC5E6DB8BC92A841BEF933E83EC86541BE143671BDEEF1F03E040102BE4FF1163E593D023E43FA23BD7ACC8CBEC20699BEDAB5C7BA09DCA53DB973D4BE10F9F03C45E800BEB76A303E8A050B3DE5EF1DBE65EEA6BDEAE0183CE000853E3450163F0E6B903D74FFCC3C20740C3E4BCD103CD4000C3EB7DEB83D1AE1893C23390BBEFED7443D65F4433E605B043D5B739E3E2B6E4C3E8218DBBBADE3B43E033B4ABE78747A3EEBDFC03E7DECEDBCDE22B63984BC4D3E4BAB973EB7E4D93D23F28B3D90BA4B3EAF0F953DC0B756BE0E9759BC5A4BA43C310B88BE3F68CC3DDEA0F5BD73C0293E471787BEF56C1CBE660184BEEC2A8A3E4523893EFF4B9C3E09FD9C3EA665493EDB6E473EF1C79BBE1E08B03D67A096BD"> : tensor<3x3x3x8xf32>
    %cst_17 = stablehlo.constant dense<[-0.0214635618, -0.0700574517, -0.223255232, -0.147358224, 5.461510e-02, 0.0372960642, 0.028957909, -0.116675995]> : tensor<8xf32>
    %cst_18 = stablehlo.constant dense<[-0.0594500937, 0.00656882767, 0.0690612122, -0.084301196, -0.105995059, 0.113980405, 0.00665563392, -0.0380928367]> : tensor<8xf32>
    %cst_19 = stablehlo.constant dense<[0.979672253, 0.888957858, 1.14317107, 1.02771473, 0.863216817, 1.06259227, 1.00309896, 0.90545243]> : tensor<8xf32>
    %cst_20 = stablehlo.constant dense<[0.857443988, 0.872799575, 1.34203076, 1.2032727, 0.918191195, 0.764946818, 1.36270308, 1.33870625]> : tensor<8xf32>
    %0 = stablehlo.convolution(%arg0, %cst_16) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x12x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x6x6x8xf32>
    %1 = stablehlo.broadcast_in_dim %cst_18, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x6x6x8xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.add %cst_20, %4 : tensor<8xf32>
    %6 = stablehlo.rsqrt %5 : tensor<8xf32>
    %7 = stablehlo.multiply %6, %cst_19 : tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %10 = stablehlo.multiply %3, %9 : tensor<2x6x6x8xf32>
    %11 = stablehlo.broadcast_in_dim %cst_17, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %13 = stablehlo.add %10, %12 : tensor<2x6x6x8xf32>
    %14 = call @relu(%13) : (tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<f32>
    %16 = "stablehlo.reduce_window"(%14, %15) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %87 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %87 : tensor<f32>
    }) : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<2x3x3x8xf32>
    %17 = stablehlo.convolution(%16, %cst_1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<3x3x1x8xf32>) -> tensor<2x3x3x8xf32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %20 = stablehlo.subtract %17, %19 : tensor<2x3x3x8xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %22 = stablehlo.add %cst_5, %21 : tensor<8xf32>
    %23 = stablehlo.rsqrt %22 : tensor<8xf32>
    %24 = stablehlo.multiply %23, %cst_4 : tensor<8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %27 = stablehlo.multiply %20, %26 : tensor<2x3x3x8xf32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %30 = stablehlo.add %27, %29 : tensor<2x3x3x8xf32>
    %31 = call @relu_0(%30) : (tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32>
    %32 = stablehlo.convolution(%31, %cst_11) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<1x1x8x12xf32>) -> tensor<2x3x3x12xf32>
    %33 = stablehlo.broadcast_in_dim %cst_13, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %35 = stablehlo.subtract %32, %34 : tensor<2x3x3x12xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %37 = stablehlo.add %cst_15, %36 : tensor<12xf32>
    %38 = stablehlo.rsqrt %37 : tensor<12xf32>
    %39 = stablehlo.multiply %38, %cst_14 : tensor<12xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %42 = stablehlo.multiply %35, %41 : tensor<2x3x3x12xf32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %45 = stablehlo.add %42, %44 : tensor<2x3x3x12xf32>
    %46 = call @relu_1(%45) : (tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32>
    %47 = stablehlo.convolution(%46, %cst_6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x12xf32>, tensor<3x3x4x12xf32>) -> tensor<2x3x3x12xf32>
    %48 = stablehlo.broadcast_in_dim %cst_8, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %50 = stablehlo.subtract %47, %49 : tensor<2x3x3x12xf32>
    %cst_25 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %52 = stablehlo.add %cst_10, %51 : tensor<12xf32>
    %53 = stablehlo.rsqrt %52 : tensor<12xf32>
    %54 = stablehlo.multiply %53, %cst_9 : tensor<12xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %57 = stablehlo.multiply %50, %56 : tensor<2x3x3x12xf32>
    %58 = stablehlo.broadcast_in_dim %cst_7, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %60 = stablehlo.add %57, %59 : tensor<2x3x3x12xf32>
    %61 = call @relu_1(%60) : (tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32>
    %62 = stablehlo.add %46, %61 : tensor<2x3x3x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<f32>
    %64 = "stablehlo.reduce_window"(%62, %63) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %87 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %87 : tensor<f32>
    }) : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<f32>
    %67 = "stablehlo.reduce_window"(%65, %66) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %87 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %87 : tensor<f32>
    }) : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %68 = stablehlo.divide %64, %67 : tensor<2x3x3x12xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_29) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x12xf32>
    %cst_30 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %71 = stablehlo.divide %69, %70 : tensor<2x12xf32>
    %72 = stablehlo.dot_general %71, %cst_0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xf32>, tensor<12x10xf32>) -> tensor<2x10xf32>
    %73 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %75 = stablehlo.add %72, %74 : tensor<2x10xf32>
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_31) applies stablehlo.maximum across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %78 = stablehlo.maximum %77, %76 : tensor<2xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %81 = stablehlo.subtract %75, %80 : tensor<2x10xf32>
    %82 = stablehlo.exponential %81 : tensor<2x10xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %86 = stablehlo.divide %82, %85 : tensor<2x10xf32>
    return %86, %75 : tensor<2x10xf32>, tensor<2x10xf32>
  }
  func.func private @relu(%arg0: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x6x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x6x6x8xf32>
    return %1 : tensor<2x6x6x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x3x8xf32>
    return %1 : tensor<2x3x3x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x3x12xf32>
    return %1 : tensor<2x3x3x12xf32>
  }
}
